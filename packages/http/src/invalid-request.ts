import { type Fault, type FaultCode, MAX_FAULTS } from '@hitherto/domain';
import { HttpProblem } from './problems.ts';

/** The code of a fault in a request: the domain's, and those that only a request can have. */
export type WireFaultCode = FaultCode | 'unknown' | 'repeated' | 'invalid_type' | 'invalid_cursor';

/** A fault in a field of a request, by the name that the request uses. */
export interface WireFault extends Omit<Fault, 'code'> {
  readonly code: WireFaultCode;
}

/** The request has invalid fields; `faults` lists all faults, at most `MAX_FAULTS`. */
export class InvalidRequest extends HttpProblem {
  override readonly name = 'InvalidRequest';
  readonly faults: readonly WireFault[];

  constructor(faults: readonly WireFault[]) {
    super('validation', faultsDetail(Math.min(faults.length, MAX_FAULTS)));
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** What a response says of so many faults. */
export function faultsDetail(count: number): string {
  return count === 1 ? 'One field is not valid; see "errors".' : `There are ${count} faults; see "errors".`;
}
