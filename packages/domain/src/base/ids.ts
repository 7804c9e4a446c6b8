const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the string can be an id that the service made. Ids are compared literally, so one in upper case is not an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}
