import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProblemCode } from '../problems/problems.ts';
import '../problems/send-problem.ts';
import { beganAt } from './fast-path.ts';

/** A value that is read whenever the metrics are read. */
export interface GaugeToRead {
  readonly name: string;
  readonly help: string;
  /** If it fails, or takes longer than a second, the gauge has no value. */
  readonly read: () => number | Promise<number>;
}

/** The metrics must not wait for a database that does not respond. */
const READ_WITHIN_MS = 1_000;

/**
 * The metrics of one process (api.md, "Operations"): no label holds an account, url or address.
 *
 * @param labels of all metrics
 */
export function createMetrics(labels: Readonly<Record<string, string>> = {}) {
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  collectProcessMetrics(registry);
  const durations = new Histogram({
    name: 'hitherto_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const problems = new Counter({
    name: 'hitherto_problems_total',
    help: 'Responses that reported a problem, by code.',
    labelNames: ['code'],
    registers: [registry],
  });

  // Looking up a labelled child takes longer than observing it, so each is looked up once.
  const children = new Map<string, Histogram.Internal<'route' | 'method' | 'status'>>();

  return {
    /** Where a face registers metrics of its own. */
    registry,
    contentType: registry.contentType,
    text: () => registry.metrics(),
    /** Adds a gauge. */
    gauge({ name, help, read }: GaugeToRead): void {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const ended = new AbortController();
          try {
            const value = await Promise.race([read(), sleep(READ_WITHIN_MS, undefined, { signal: ended.signal })]);
            if (value === undefined) this.remove();
            else this.set(value);
          } catch {
            // Workers send their metrics as JSON, which would make a NaN null, and the sum of all 0.
            this.remove();
          } finally {
            ended.abort();
          }
        },
      });
    },

    hits: createHitMetrics(registry),

    /** A response was sent, `ms` milliseconds after its request began. */
    observe(route: string, method: string, status: number, ms: number): void {
      const name = `${route} ${method} ${status}`;
      let child = children.get(name);
      if (child === undefined) {
        child = durations.labels({ route, method, status: String(status) });
        children.set(name, child);
      }
      child.observe(ms / 1000);
    },

    /** A response reported a problem. */
    reported: (code: ProblemCode) => problems.inc({ code }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

const A_DAY_MS = 86_400_000;

/**
 * prom-client's metrics of the process, except those of the event loop's lag: they wake the process a hundred times a second,
 * which is most of its cost at rest. How busy the event loop is can be read for nothing.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: A_DAY_MS });
  const lags = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('nodejs_eventloop_lag_'));
  for (const { name } of lags) registry.removeSingleMetric(name);
  new Counter({
    name: 'hitherto_event_loop_busy_seconds_total',
    help: 'Time that the event loop was busy; a second a second is all that a process can do.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization().active / 1_000);
    },
  });
}

/** The metrics of hits from browsers and servers (operating.md, "Metrics and logs"). */
function createHitMetrics(registry: Registry) {
  const registers = [registry];
  const hits = new Counter({
    name: 'hitherto_hits_total',
    help: 'Hits by outcome (counted, dropped, rejected) and reason.',
    labelNames: ['outcome', 'reason'],
    registers,
  });
  const sizes = new Histogram({
    name: 'hitherto_hit_batch_size',
    help: 'Hits stored by one transaction.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000],
    registers,
  });
  const times = new Histogram({
    name: 'hitherto_hit_commit_duration_seconds',
    help: 'Time to store a batch of hits.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const handedOver = new Histogram({
    name: 'hitherto_hand_over_duration_seconds',
    help: 'Time to hand hits over to an engine outside of the database, by outcome (done, failed).',
    labelNames: ['outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const counted = hits.labels('counted', '');

  return {
    /** Hits were stored. */
    counted: (count: number) => counted.inc(count),
    dropped: (reason: string) => hits.inc({ outcome: 'dropped', reason }),
    /** A browser's request with a hit got this problem. */
    rejected: (problem: string) => hits.inc({ outcome: 'rejected', reason: problem }),
    /** Hits were handed over, or could not be. */
    handedOver({ outcome, seconds }: { readonly outcome: 'done' | 'failed'; readonly seconds: number }) {
      handedOver.observe({ outcome }, seconds);
    },
    /** A transaction stored hits. */
    committed(count: number, seconds: number) {
      sizes.observe(count);
      times.observe(seconds);
    },
  };
}

/** The route's pattern, never the path, which contains ids: there would be no end of labels. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none';
}

/** Observes every response of the server. */
export function observeRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = routeOf(request);
    const began = beganAt(request.raw);
    const ms = began === undefined ? reply.elapsedTime : performance.now() - began;
    metrics.observe(route, route === 'none' ? 'any' : request.method, reply.statusCode, ms);
    if (reply.problem !== null) metrics.reported(reply.problem);
    done();
  });
}

/** Logs one line at `info` for each response of a scope, with `details` of the request, which must not be personal data. */
export function logRequests(
  scope: FastifyInstance,
  details: (request: FastifyRequest) => Readonly<Record<string, unknown>> = () => ({}),
): void {
  scope.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        route: routeOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        ...(reply.problem === null ? {} : { problem: reply.problem }),
        ...details(request),
      },
      'request',
    );
    done();
  });
}
