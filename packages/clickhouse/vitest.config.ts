import { databaseConfig } from '../../vitest.shared.ts';

export default databaseConfig(['statistics.test.ts', 'move.test.ts']);
