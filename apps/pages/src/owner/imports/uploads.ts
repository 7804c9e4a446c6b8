import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import { DomainError, toldIn } from '@hitherto/domain/base';
import type { Importer } from '@hitherto/domain/imports';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { allowSlowBody, HttpProblem, type ReceivedFile, receiveFile, unsupportedType } from '@hitherto/http';
import type { Words } from '@hitherto/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { localeFor } from '../../shared/locale.tsx';

type ImportWords = Words['imports'];

/** The most bytes of an uploaded file, as in the API. */
const MAX_FILE_BYTES = 2 * 2 ** 30;

/** The bodies of routes that accept a file. */
export const TAKEN_UPLOADS = { types: ['multipart/form-data'], limit: MAX_FILE_BYTES };

/** Lets the bodies of a scope be forms with a file. */
export async function acceptUploads(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  // At its own limit the parser cuts a file without an error; one byte above it, `receiveFile` rejects the file.
  await scope.register(multipart, { limits: { fileSize: MAX_FILE_BYTES + 1, files: 1, fields: 10 } });
}

/** Receives the file, and collects the fields. */
export async function readUpload(request: FastifyRequest, fields: Map<string, string>): Promise<ReceivedFile> {
  if (!request.isMultipart()) throw unsupportedType(request);
  allowSlowBody(request.raw);
  const words = localeFor(request).words.imports;
  for await (const part of partsOf(request, words)) {
    // The value of a part of JSON can be anything.
    if (part.type === 'field') fields.set(part.fieldname, typeof part.value === 'string' ? part.value : '');
    // The form has its file last.
    else return await receivePart(part, words);
  }
  throw new DomainError('invalid_file', words.chooseFile);
}

/** The parts of the form. The parser fails only because of what the client sends. */
async function* partsOf(request: FastifyRequest, words: ImportWords): AsyncGenerator<Multipart> {
  try {
    yield* request.parts();
  } catch {
    throw unreadableForm(words);
  }
}

/** Receives the file of a part, which may end too early. */
async function receivePart({ file }: MultipartFile, words: ImportWords): Promise<ReceivedFile> {
  // The parser tells errors without destroying the file, so `errored` may have another one, or none.
  const told = new Set<unknown>();
  file.on('error', (error) => told.add(error));
  try {
    return await receiveFile(file, MAX_FILE_BYTES);
  } catch (error) {
    throw told.has(error) || error === file.errored ? unreadableForm(words) : error;
  }
}

function unreadableForm({ unreadableForm }: ImportWords): HttpProblem {
  return new HttpProblem('bad_request', unreadableForm);
}

/** Gives a file its place, and returns a function that removes both. Throws a `DomainError` if the account has too many. */
export function placeOf(
  { places }: Pick<Importer, 'places'>,
  { accountId }: WebsiteKey,
  file: ReceivedFile,
): () => Promise<void> {
  const place = places.take(accountId, file.bytes);
  return () => file.remove().finally(place.leave);
}

/** Why a file cannot be imported; any other error is not a fault of the file. */
const TOLD: ReadonlySet<string> = new Set(['invalid_file', 'import_overlap', 'too_many_imports']);

export function sentenceOf(words: Words, error: unknown): string {
  if (error instanceof DomainError && TOLD.has(error.code)) return toldIn(words, error);
  if (error instanceof HttpProblem && error.code === 'payload_too_large') return error.message;
  throw error;
}
