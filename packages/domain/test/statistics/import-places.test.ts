import { describe, expect, it } from 'vitest';
import { createImportPlaces, IMPORTS_OF_ACCOUNT } from '../../src/imports/import-places.ts';

describe('The files to import of an account', () => {
  it('are at most ten at a time', () => {
    const places = createImportPlaces();
    const [first] = Array.from({ length: IMPORTS_OF_ACCOUNT.files }, () => places.take('é', 1));

    expect(() => places.take('é', 1)).toThrow(
      expect.objectContaining({
        code: 'too_many_imports',
        message:
          'An account may have at most 10 files to import at a time. Wait until an import has ended, or delete a waiting one.',
      }),
    );
    expect(() => places.take('another', 1)).not.toThrow();
    first?.leave();
    first?.leave();
    expect(() => places.take('é', 1)).not.toThrow();
    expect(() => places.take('é', 1)).toThrow();
  });

  it('have at most 4 GiB in all', () => {
    const places = createImportPlaces();
    const large = places.take('é', 2 ** 31);
    places.take('é', 2 ** 31);

    expect(() => places.take('é', 1)).toThrow(expect.objectContaining({ code: 'too_many_imports' }));
    large.hold(100);
    expect(() => places.take('é', 2 ** 31 - 100)).not.toThrow();
  });
});
