import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';
import { problemReference } from '../problems/problem-schema.ts';

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type Compile = ReturnType<NonNullable<CompilersFactory['buildSerializer']>>;

/** A serializer that is compiled when the first response needs it: compiling all would take half the time of a start. */
function compileLate(route: Parameters<Compile>[0], compile: Compile): ReturnType<Compile> {
  let serialize: ReturnType<Compile> | undefined;
  return (value) => {
    serialize ??= compile(route);
    return serialize(value);
  };
}

const buildSerializers = SerializerSelector();

/** Fastify's compilers of schemas, for all servers of the process. */
export const schemaCompilers: CompilersFactory = {
  // Servers with the same schemas share their validators: tests start many.
  buildValidator: AjvCompiler(),
  buildSerializer(schemas, options) {
    const compile = buildSerializers(schemas, options);
    // Problem details are sent as strings (see `sendDetails`).
    return (route) => (route.schema === problemReference ? JSON.stringify : compileLate(route, compile));
  },
};
