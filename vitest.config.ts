import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@skillstate/source'] },
  ssr: { resolve: { conditions: ['@skillstate/source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'examples/*/project/**'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Many tests wait for processes and clocks: one more than the two cores they were measured on.
    maxWorkers: 3,
  },
});
