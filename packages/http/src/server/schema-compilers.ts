import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { problemReference } from '../problems/problem-schema.ts';

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type CompileSerializer = ReturnType<NonNullable<CompilersFactory['buildSerializer']>>;
type CompileValidator = Parameters<FastifyInstance['setValidatorCompiler']>[0];

// Schemas are compiled when the first request needs them: compiling all would take most of the time of a start.

/** Ajv must not coerce, fill in or remove anything, and must report all errors. */
const VALIDATION = {
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
} as const;

// Servers with the same schemas share their validators: tests start many.
const buildValidators = AjvCompiler();
type BuildValidators = typeof buildValidators;
const buildSerializers = SerializerSelector();

/** Validates the requests of a scope, whose routes may refer to all schemas that it has when the first one arrives. */
export function validateRequests(scope: FastifyInstance): void {
  let build: ReturnType<BuildValidators> | undefined;
  scope.setValidatorCompiler(({ schema }) => {
    let compiled: ReturnType<ReturnType<BuildValidators>> | undefined;
    const validate: ReturnType<CompileValidator> = (data) => {
      // Finding the compiler compares the text of all schemas, so it is found once.
      build ??= buildValidators(scope.getSchemas() as Parameters<BuildValidators>[0], { customOptions: VALIDATION });
      compiled ??= build({ schema });
      // No schema is asynchronous, which would return a promise.
      const isValid = compiled(data) === true;
      // Fastify reads the errors from the function.
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  });
}

/** Fastify's compilers of serializers, for all servers of the process. */
export const schemaCompilers: CompilersFactory = {
  buildSerializer(schemas, options) {
    const compile = buildSerializers(schemas, options);
    // Problem details are sent as strings (see `sendDetails`).
    return (route) => (route.schema === problemReference ? JSON.stringify : compileLate(route, compile));
  },
};

function compileLate(
  route: Parameters<CompileSerializer>[0],
  compile: CompileSerializer,
): ReturnType<CompileSerializer> {
  let serialize: ReturnType<CompileSerializer> | undefined;
  return (value) => {
    serialize ??= compile(route);
    return serialize(value);
  };
}
