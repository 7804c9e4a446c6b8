import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// Programs and databases are killed and timed here: nothing runs beside them.
export default defineConfig({ test: { ...shared, maxWorkers: 1 } });
