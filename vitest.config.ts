import { defineConfig } from 'vitest/config';

// Time limits are for what never comes. They are far beyond what anything takes, so that no busy machine fails a test.
/** Those beside the sources that start servers and programs or fill folders: kept apart so that the others stay quick. */
const outer = [
  'src/{outside,plugins,runtime,surface}/**/*.test.ts',
  'src/fleet/{access,discovery,recording,supervisor,trust}/**/*.test.ts',
  'src/fleet/manifest-cache/file-manifest-cache.test.ts',
  'src/gate/{approval,audit,sandbox}/**/*.test.ts',
  'src/gate/heap.test.ts',
  'src/gate/policy/shell/bash-fuzz.test.ts',
  'src/dialect/mcp/{http,*-fetch}.test.ts',
  'src/dialect/mcp/oauth/**/*.test.ts',
];

export default defineConfig({
  test: {
    passWithNoTests: false,
    // One core less, the default, would be one worker on a machine with two.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['test/support/seed-properties.ts'],
          include: ['src/**/*.test.ts'],
          exclude: outer,
          testTimeout: 30_000,
          expect: { poll: { timeout: 20_000 } },
          // No module of src/ keeps state, so files can share a worker and what it has loaded.
          isolate: false,
        },
      },
      {
        test: {
          name: 'outer',
          setupFiles: ['test/support/seed-properties.ts'],
          include: outer,
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          isolate: false,
        },
      },
      {
        // Spans folders and processes; its programs import the built package, so it runs after a build.
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/fixtures/**', 'test/**/*.alone.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        // They measure memory or load the whole machine; two at a time would disturb each other.
        test: {
          name: 'alone',
          include: ['test/**/*.alone.test.ts'],
          testTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // The full numbers behind `npm run soak`; never part of `npm test`.
        test: {
          name: 'soak',
          include: ['src/**/*.soak.ts', 'test/**/*.soak.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
