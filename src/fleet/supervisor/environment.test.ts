import { expect, test } from 'vitest';
import { allowedEnvironment, pluginEnvironment, specifiedVariables } from './environment.ts';

const own = { temporaryFolder: '/tmp/t', dataFolder: '/state/data/gh' };
const host = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C',
  LANG: 'en',
  AWS_SECRET_ACCESS_KEY: 'x',
  NODE_OPTIONS: '--inspect',
  HTTPS_PROXY: 'http://me:pw@proxy',
  LD_PRELOAD: '/x.so',
};

test('only what is allowed comes from the host', () => {
  expect(allowedEnvironment(host, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    LC_ALL: 'C',
    LANG: 'en',
  });
});

test('there is always a PATH', () => {
  expect(allowedEnvironment({}, 'linux')).toEqual({ PATH: '/usr/local/bin:/usr/bin:/bin' });
  expect(allowedEnvironment({ PATH: '' }, 'linux')).toEqual({ PATH: '/usr/local/bin:/usr/bin:/bin' });
});

test('on Windows names are taken in any case', () => {
  expect(allowedEnvironment({ Path: 'C:\\', SystemRoot: 'C:\\Windows', Secret: 'x' }, 'win32')).toEqual({
    Path: 'C:\\',
    SystemRoot: 'C:\\Windows',
  });
});

test('a plugin gets folders of its own, and what its spec says wins', () => {
  expect(pluginEnvironment({ PATH: '/bin', LANG: 'en' }, own, { LANG: 'de', TOKEN: 'x' })).toEqual({
    PATH: '/bin',
    LANG: 'de',
    TMPDIR: '/tmp/t',
    TMP: '/tmp/t',
    TEMP: '/tmp/t',
    PLUGLOT_DATA_DIR: '/state/data/gh',
    PYTHONUNBUFFERED: '1',
    TOKEN: 'x',
  });
});

test('the libraries that a plugin brings along come first', () => {
  const libraries = { ...own, pythonLibraries: '/gh/libs', programData: '/data' };
  expect(pluginEnvironment({}, libraries, {})).toMatchObject({
    PYTHONPATH: '/gh/libs',
    PROGRAMDATA: '/data',
  });
  expect(pluginEnvironment({}, libraries, { PYTHONPATH: '/more' })).toMatchObject({
    PYTHONPATH: '/gh/libs:/more',
  });
});

test.each([
  ['a=b', 'x'],
  ['', 'x'],
  ['TOKEN', 's3cret\0'],
])('%j cannot be a variable, and its value is not told', (name, value) => {
  const sources = { plugin: 'gh', env: {}, pluginFolder: '/' };
  expect(() => specifiedVariables({ [name]: value }, sources)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.not.stringContaining('s3cret') as string,
    }),
  );
});
