import { DomainError, type Saying } from '../base/errors.ts';

/** The imports of an account that a process receives, previews, or has running or waiting, and the bytes of their files. */
export const IMPORTS_OF_ACCOUNT = { files: 10, bytes: 4 * 2 ** 30 } as const;

/** The place of a file of an account, from before it is received until it is no longer needed. */
interface ImportPlace {
  /** Sets the size of the file, once it is known. */
  hold(bytes: number): void;
  /** May be called twice. */
  leave(): void;
}

/** Bounds the files of each account, so that none fills the disk or the memory. */
export interface ImportPlaces {
  /**
   * @param bytes that the file may have
   * @throws DomainError `too_many_imports`
   */
  take(accountId: string, bytes: number): ImportPlace;
}

export function createImportPlaces(): ImportPlaces {
  const taken = new Map<string, Set<{ bytes: number }>>();
  return {
    take(accountId, bytes) {
      const files = taken.get(accountId) ?? new Set();
      const sum = [...files].reduce((total, file) => total + file.bytes, bytes);
      if (files.size >= IMPORTS_OF_ACCOUNT.files)
        throw tooMany(({ faults }) => faults.imports.tooMany(IMPORTS_OF_ACCOUNT.files));
      if (sum > IMPORTS_OF_ACCOUNT.bytes)
        throw tooMany(({ faults }) => faults.imports.tooMuch(IMPORTS_OF_ACCOUNT.bytes / 2 ** 30));
      const own = { bytes };
      taken.set(accountId, files.add(own));
      return {
        hold(actual) {
          own.bytes = actual;
        },
        leave() {
          files.delete(own);
          if (files.size === 0) taken.delete(accountId);
        },
      };
    },
  };
}

function tooMany(saying: Saying): DomainError {
  return new DomainError('too_many_imports', saying);
}
