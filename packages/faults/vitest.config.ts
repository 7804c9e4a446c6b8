import { testConfig } from '../../vitest.shared.ts';

// Programs and databases are killed and timed here: nothing runs beside them.
export default testConfig({ maxWorkers: 1 });
