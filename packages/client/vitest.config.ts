import { testConfig } from '../../vitest.shared.ts';

export default testConfig({ globalSetup: ['test/global-setup.ts'] });
