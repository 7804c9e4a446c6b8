import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { SettingsError } from './settings.ts';

const FILE = '.env';
const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(.*)$/;
const QUOTE = /^["'`]/;

/**
 * Adds the variables of the file `.env` in this folder, if there is one, to the environment, whose own variables have priority.
 *
 * @throws SettingsError if the file cannot be read, or a line sets no variable, which Node would skip
 */
export function readEnvFile(folder: string, env: Record<string, string | undefined>): void {
  const text = textOf(join(folder, FILE));
  if (text === undefined) return;
  const line = faultyLine(text);
  if (line !== undefined) {
    throw new SettingsError(`Line ${line} of ${join(folder, FILE)} must be NAME=value, empty, or a comment after #.`);
  }
  for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
}

function textOf(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    if (code === 'ENOENT') return undefined;
    const fault = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not a file in UTF-8' : `cannot be read (${code})`;
    throw new SettingsError(`${file} ${fault}.`, { cause: error });
  }
}

/** The number of the first line that is neither empty, nor a comment, nor part of a value. */
function faultyLine(text: string): number | undefined {
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(?:#|$)/.test(line)) continue;
    const value = ASSIGNMENT.exec(line)?.[1];
    if (value === undefined) return index + 1;
    const [quote] = QUOTE.exec(value) ?? [];
    if (quote === undefined || value.includes(quote, 1)) continue;
    // A quoted value may go on in later lines.
    const end = lines.findIndex((later, number) => number > index && later.includes(quote));
    if (end === -1) return index + 1;
    index = end;
  }
  return undefined;
}
