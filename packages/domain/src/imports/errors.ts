import { DomainError } from '../base/errors.ts';
import { inEnglish, type StoredText, shortened, tellStored } from '../base/stored-text.ts';

/** A message may name values of the file, which are as long as their author likes. It is stored and sent. */
const MAX_MESSAGE_LENGTH = 1_000;

/** A file cannot be imported; the message is a sentence that names the place in the file. */
export class InvalidFile extends DomainError {
  override readonly name = 'InvalidFile';
  /** Of the message; absent where no page shows it. */
  readonly text: StoredText | undefined;

  /** @param message in English, or a text in all languages */
  constructor(message: string | StoredText, options?: ErrorOptions) {
    const text = typeof message === 'string' ? undefined : shortened(message);
    const english = typeof message === 'string' ? message : inEnglish(message);
    super('invalid_file', english.slice(0, MAX_MESSAGE_LENGTH), {
      ...options,
      ...(text === undefined ? {} : { saying: (words) => tellStored(text, words, english) }),
    });
    this.text = text;
  }
}

/** Another import of the website covers one of the days. */
export class ImportOverlap extends DomainError {
  override readonly name = 'ImportOverlap';
  readonly existingId: string;
  /** For pages, which need no id. */
  readonly text: StoredText;

  constructor(existingId: string, detail: string, text: StoredText) {
    super('import_overlap', detail, { saying: (words) => tellStored(text, words, detail) });
    this.existingId = existingId;
    this.text = text;
  }
}
