import { DomainError } from '@hitherto/domain';

/** It is unknown whether the hit was stored: if sent again, it could count twice. */
export class OutcomeUnknown extends DomainError {
  override readonly name = 'OutcomeUnknown';

  constructor() {
    super('unavailable', 'The database did not confirm in time that the hit is stored.');
  }
}
