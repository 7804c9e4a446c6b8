import { type DomainError, unavailable } from '@hitherto/domain/base';

/** The error of reads from an engine whose statistics have moved to the other one. */
export function movedAway(): DomainError {
  return unavailable('Statistics have moved to another engine: restart Hitherto with the settings for it.');
}
