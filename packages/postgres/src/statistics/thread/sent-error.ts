import { DomainError } from '@hitherto/domain/base';
import { BeginAgain } from '../open-days/open-days.ts';
import type { SentError } from './messages.ts';

/** An error as a message. */
export function sentError(error: unknown): SentError {
  if (error instanceof BeginAgain) return { beginsAgain: true, message: error.message };
  if (error instanceof DomainError) return { code: error.code, message: error.message };
  if (error instanceof Error)
    return { message: error.message, ...(error.stack === undefined ? {} : { stack: error.stack }) };
  return { message: String(error) };
}
