import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { userTrustStore } from '../fleet/discovery/discover.ts';
import { ownPlaces } from './own-places.ts';

test.skipIf(process.platform === 'win32')(
  'a file with references that other users can change names no folder',
  async () => {
    const folder = temporaryFolder({
      'project/.keep': '',
      'config/references.json': { channel: { type: 'file', base_path: '/srv/answers' } },
    });
    const home = path.join(folder, 'home');
    const env = { PLUGLOT_HOME: path.join(folder, 'config') };
    const hidden = async () => {
      const places = ownPlaces({
        cwd: path.join(folder, 'project'),
        home,
        env,
        trust: userTrustStore({ env, home }),
      });
      await places.read();
      return places.known().hidden;
    };
    expect(await hidden()).toContain('/srv/answers');
    fs.chmodSync(path.join(folder, 'config/references.json'), 0o666);
    expect(await hidden()).not.toContain('/srv/answers');
  },
);
