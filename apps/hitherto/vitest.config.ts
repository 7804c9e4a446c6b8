import { testConfig } from '../../vitest.shared.ts';

// Most tests start the program several times, which takes long on a busy machine.
export default testConfig({ globalSetup: ['test/global-setup.ts'], testTimeout: 180_000 });
