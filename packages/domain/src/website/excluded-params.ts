import { MAX_FAULTS } from '../errors.ts';
import { type Line, type Lines, readLines } from '../lines.ts';

const MAX_NAME_LENGTH = 255;

/**
 * The names of URL parameters that statistics exclude, one per line (decisions.md, "Fields", `exclude_params`). A `*` at the
 * end makes a prefix; a line with just `*` or `&` means all. They are stored as sent.
 */
export function readExcludedParams(lines: readonly string[]): Lines {
  return readLines('excludedParams', lines, readName, MAX_FAULTS);
}

function readName(name: string): Line {
  if ([...name].length > MAX_NAME_LENGTH) {
    return { fault: { code: 'too_long', detail: `is longer than ${MAX_NAME_LENGTH} characters.` } };
  }
  if (/[\p{Cc}\p{Cs}=#]/u.test(name)) {
    const detail = 'contains a control character, a lone surrogate, "=" or "#", which a name cannot contain.';
    return { fault: { code: 'invalid_name', detail } };
  }
  return { entry: name };
}
