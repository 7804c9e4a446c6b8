import { DomainError, type Saying } from '../base/errors.ts';

/** A message may name values of the file, which are as long as their author likes. It is stored and sent. */
const MAX_MESSAGE_LENGTH = 1_000;

/** A file cannot be imported; the message is a sentence that names the place in the file. */
export class InvalidFile extends DomainError {
  override readonly name = 'InvalidFile';

  constructor(message: string, options?: ErrorOptions) {
    super('invalid_file', message.slice(0, MAX_MESSAGE_LENGTH), options);
  }
}

/** Another import of the website covers one of the days. */
export class ImportOverlap extends DomainError {
  override readonly name = 'ImportOverlap';
  readonly existingId: string;

  constructor(existingId: string, detail: string, saying?: Saying) {
    super('import_overlap', detail, saying && { saying });
    this.existingId = existingId;
  }
}
