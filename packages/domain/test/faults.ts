import { type Fault, InvalidFields } from '../src/base/errors.ts';

/** The faults that `read` is rejected with; a test that expects a refusal fails where there is none. */
export function faultsOf(read: () => unknown): readonly Fault[] {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidFields) return error.faults;
    throw error;
  }
  throw new Error('Nothing was rejected.');
}

/** Field and code of each fault, with the line where there is one: `excludedIps:3 invalid_ip`. */
export function named(faults: readonly Fault[]): string[] {
  return faults.map(({ field, line, code }) => `${field}${line === undefined ? '' : `:${line}`} ${code}`);
}
