import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

// Much of what the tests do is to wait for a server, so that more of them run at a time than there are cores.
export default defineConfig({ test: { ...shared, globalSetup: ['test/global-setup.ts'], maxWorkers: 4 } });
