import { expect, test } from 'vitest';
import { homeFolders } from './config-places.ts';

test('without any setting they are those of the XDG convention', () => {
  expect(homeFolders({}, '/home/ann')).toEqual({
    config: '/home/ann/.config/pluglot',
    state: '/home/ann/.local/state/pluglot',
    data: '/home/ann/.local/share/pluglot',
  });
});

test('XDG variables move them; relative and empty ones are ignored', () => {
  const env = { XDG_CONFIG_HOME: '/etc/xdg', XDG_STATE_HOME: 'state', XDG_DATA_HOME: '' };
  expect(homeFolders(env, '/home/ann')).toEqual({
    config: '/etc/xdg/pluglot',
    state: '/home/ann/.local/state/pluglot',
    data: '/home/ann/.local/share/pluglot',
  });
});

test('PLUGLOT_HOME holds all of them, whatever XDG says', () => {
  expect(homeFolders({ PLUGLOT_HOME: '/p', XDG_CONFIG_HOME: '/x' }, '/home/ann')).toEqual({
    config: '/p',
    state: '/p/state',
    data: '/p/data',
  });
  expect(homeFolders({ PLUGLOT_HOME: '' }, '/home/ann').config).toBe('/home/ann/.config/pluglot');
});

test('a relative PLUGLOT_HOME is refused', () => {
  expect(() => homeFolders({ PLUGLOT_HOME: 'p' }, '/home/ann')).toThrow(
    'PLUGLOT_HOME is "p"; expected an absolute path, such as "/home/ann/p".',
  );
});
