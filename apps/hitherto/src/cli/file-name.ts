import { InvalidArgumentError } from 'commander';

/** The name that stands for standard input or output. */
export const PIPE = '-';

/** Reads the name of a file, which an unset variable of a script leaves empty. */
export function readFileName(text: string): string {
  if (text === '') throw new InvalidArgumentError('A file must have a name.');
  return text;
}
