import { Readable } from 'node:stream';
import { type Importer, InvalidFile } from '@hitherto/domain/imports';
import { type AccountLimit, allowSlowBody, HttpProblem, type ReceivedFile, receiveFile } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_FILE_BYTES } from './schemas.ts';

/** Lets the bodies of a scope be files, whatever their media type. */
export function acceptFiles(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, payload, done) => {
    allowSlowBody(request.raw);
    done(null, payload);
  });
}

/** Receives a file that has its place until it is removed, and looks again at what the key may do. */
export async function receiveInPlace(
  { places }: Importer,
  accountId: string,
  request: FastifyRequest,
  accountLimit: AccountLimit | undefined,
): Promise<ReceivedFile> {
  const length = Number(request.headers['content-length'] ?? MAX_FILE_BYTES);
  const place = places.take(accountId, Math.min(length, MAX_FILE_BYTES));
  let received: ReceivedFile;
  try {
    const file = await receive(request);
    place.hold(file.bytes);
    received = { ...file, remove: () => file.remove().finally(place.leave) };
  } catch (error) {
    place.leave();
    throw error;
  }
  accountLimit?.chargeResponse(accountId, received.bytes);
  await request.renewRights().catch((error: unknown) => received.remove().finally(() => Promise.reject(error)));
  return received;
}

async function receive({ body, headers }: FastifyRequest): Promise<ReceivedFile> {
  // Else the first line of a form would be taken for the file's.
  if (/^\s*multipart\//i.test(headers['content-type'] ?? '')) throw new InvalidFile(FORM);
  if (body instanceof Readable) return receiveFile(body, MAX_FILE_BYTES);
  throw new HttpProblem('bad_request', 'The body must be the file to import.');
}

const FORM =
  'The body is a form with a file. It must be the file itself: with curl, use -X POST -T FILE or --data-binary @FILE in place of -F.';
