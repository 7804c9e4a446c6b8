import { v7 } from 'uuid';

/** The time of the system, whose clock may step back. */
export function now(): Date {
  return new Date();
}

/** A new UUIDv7, lower case; within the process each is greater than the one before, even when the clock steps back. */
export function newId(): string {
  return v7();
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the string can be an id that the service made. Ids are compared literally, so one in upper case is not an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}
