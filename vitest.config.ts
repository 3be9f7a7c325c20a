import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          testTimeout: 10_000,
        },
      },
      {
        // Spans folders and processes; its programs import the built package, so it runs after a build.
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/fixtures/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
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
