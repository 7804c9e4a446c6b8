import { v7 } from 'uuid';

/** A new UUIDv7, lower case; within the process each is greater than the one before, even when the clock steps back. */
export function newId(): string {
  return v7();
}
