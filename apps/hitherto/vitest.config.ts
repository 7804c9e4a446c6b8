import { testConfig } from '../../vitest.shared.ts';

// Most tests start the program several times, which takes long on a busy machine. They wait for it half of the time, and run
// last, with no other package beside them.
export default testConfig({ maxWorkers: 3, testTimeout: 180_000 });
