import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// The tests mostly wait for a server, so more of them run at a time than there are cores.
export default defineConfig({ test: { ...shared, globalSetup: ['test/global-setup.ts'], maxWorkers: 4 } });
