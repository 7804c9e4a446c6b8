import { readFileSync } from 'node:fs';
import { readUrl } from '@hitherto/domain/base';

/** The fault of a file that a setting names, if it cannot be read. */
export function fileFaults(name: string, file: string): string[] {
  try {
    readFileSync(file);
    return [];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    return [`The file in ${name} cannot be read (${code}).`];
  }
}

/** The faults of the files that a URL of PostgreSQL names. The driver would read them only when it connects. */
export function databaseFileFaults(name: string, databaseUrl: string): string[] {
  const parameters = readUrl(databaseUrl)?.searchParams;
  return ['sslrootcert', 'sslcert', 'sslkey'].flatMap((parameter) => {
    const file = parameters?.get(parameter);
    return file ? fileFaults(`${parameter} of ${name}`, file) : [];
  });
}
