import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';
import { problemReference } from './problem-schema.ts';

type BuildSerializer = NonNullable<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>['buildSerializer']
>;

/**
 * Fastify's serializers, except for problem details: they are sent as text (see `sendDetails`), and their schemas are many.
 * Compiling them would take most of the time of a start.
 */
export const buildSerializer: BuildSerializer = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options);
  return (route) => (route.schema === problemReference ? JSON.stringify : compile(route));
};
