import { expect, it } from 'vitest';
import { secretValues } from './secret-shapes.ts';

it('takes the values of variables that are named like secrets', () => {
  expect(secretValues({ GH_TOKEN: 'abcdefgh1', DB_PASSWORD: 'correct horse', PATH: '/usr/bin' })).toEqual([
    'abcdefgh1',
    'correct horse',
  ]);
});

it('leaves words that stand everywhere: short ones, plain ones, and the folder one stands in', () => {
  const env = {
    PWD: '/home/me/project',
    OLDPWD: '/home/me/other',
    SSH_AUTH_SOCK: '/run/user/1000/agent',
    XDG_SESSION_TYPE: 'wayland-0',
    DESKTOP_SESSION: 'plasmawayland',
    API_KEY: 'short',
    AUTH: 'production',
    NONE_TOKEN: undefined,
  };
  expect(secretValues(env)).toEqual([]);
});
