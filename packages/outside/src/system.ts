import { v7 } from 'uuid';

/** The time of the system, whose clock may step back. */
export function now(): Date {
  return new Date();
}

/** A new UUIDv7, lower case; within the process each is greater than the one before, even when the clock steps back. */
export function newId(): string {
  return v7();
}
