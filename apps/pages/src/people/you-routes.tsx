import { type Fault, InvalidFields } from '@hitherto/domain/base';
import {
  changePerson,
  isOfKey,
  type JoinDependencies,
  type PersonChanges,
  type Session,
  type SessionDependencies,
  type SignedInPerson,
} from '@hitherto/domain/people';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TextField } from '../owner/field.tsx';
import { headerOf } from '../owner/header.ts';
import { OwnerFrame } from '../owner/owner-frame.tsx';
import { signedInOf } from '../owner/session.ts';
import type { SignInLimits } from '../owner/sign-in-limits.ts';
import { type Body, valueIn, valuesIn } from '../shared/form.ts';
import { sendPage } from '../shared/page.tsx';
import { HOME, YOU, youPath } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { sendForbidden } from '../shared/send-error.tsx';
import { requirePassword } from './present-password.ts';

export interface YouRoutesDependencies extends JoinDependencies, SessionDependencies {}

/** What people change about themselves (people.md, "Pages"); the scope has a session. */
export function youRoutes(scope: FastifyInstance, deps: YouRoutesDependencies, limits: SignInLimits): void {
  scope.register(async (own) => {
    own.addHook('preHandler', async (request, reply) => {
      if (!isOfKey(signedInOf(request))) return;
      return sendForbidden(reply, 'A key is no person', 'Sign in with your e-mail address and password.');
    });

    own.get(YOU, (request, reply) => send(request, reply));
    for (const part of ['name', 'password', 'sessions'] as const) {
      own.get(youPath(part), async (_request, reply) => reply.redirect(YOU, 303));
    }
    own.post<Body>(youPath('name'), (request, reply) =>
      change(request, reply, { name: valueIn(request.body, 'name') ?? '' }),
    );
    own.post<Body>(youPath('password'), (request, reply) =>
      change(request, reply, { password: valueIn(request.body, 'password') ?? '' }),
    );
    own.post<Body>(youPath('sessions'), async (request, reply) => {
      const { person, session } = personOf(request);
      const named = valueIn(request.body, 'session');
      for (const { hash } of await deps.sessions.list(person.id)) {
        if (named === undefined ? hash !== session.hash : publicNameOf(hash) === named)
          await deps.sessions.delete(hash);
      }
      return reply.redirect(named === publicNameOf(session.hash) ? HOME : `${YOU}?saved`, 303);
    });
  });

  async function change(request: FastifyRequest<Body>, reply: FastifyReply, changes: PersonChanges) {
    const { person, session } = personOf(request);
    const values = valuesIn(request.body);
    try {
      if (changes.password !== undefined) await requirePassword(deps, limits, request, person);
      await changePerson(deps, person.id, changes, session.hash);
      return reply.redirect(`${YOU}?saved`, 303);
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      return send(request, reply.code(422), error.faults, values);
    }
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    faults: readonly Fault[] = [],
    values: Readonly<Record<string, string>> = {},
  ): Promise<FastifyReply> {
    const signedIn = personOf(request);
    const sessions = await deps.sessions.list(signedIn.person.id);
    return sendPage(
      reply,
      <OwnerFrame header={headerOf(request)} title="You">
        <h1>You</h1>
        {queryParameters(request).has('saved') && (
          <p class="notice" role="status">
            Saved.
          </p>
        )}
        <YouPage signedIn={signedIn} sessions={sessions} faults={faults} values={values} />
      </OwnerFrame>,
    );
  }
}

interface YouPageProps {
  readonly signedIn: SignedInPerson;
  readonly sessions: readonly Session[];
  readonly faults: readonly Fault[];
  readonly values: Readonly<Record<string, string>>;
}

function YouPage({ signedIn: { person, session: current }, sessions, faults, values }: YouPageProps) {
  return (
    <>
      <p>
        You sign in as <strong>{person.email}</strong>.
      </p>
      <section>
        <form class="settings" method="post" action={youPath('name')}>
          <TextField
            name="name"
            label="Name"
            autocomplete="name"
            value={values.name ?? person.name}
            required
            maxLength={100}
            faults={faults}
          />
          <button type="submit">Save</button>
        </form>
      </section>
      <section>
        <h2>Password</h2>
        <form class="settings" method="post" action={youPath('password')}>
          <TextField
            name="current_password"
            label="Present password"
            type="password"
            autocomplete="current-password"
            required
            maxLength={256}
            faults={faults}
          />
          <TextField
            name="password"
            label="New password"
            hint="At least 10 characters. All other browsers are signed out."
            type="password"
            autocomplete="new-password"
            required
            minLength={10}
            maxLength={256}
            faults={faults}
          />
          <button type="submit">Change the password</button>
        </form>
      </section>
      <section>
        <h2>Where you are signed in</h2>
        <ul class="card definitions">
          {sessions.map(({ hash, browser, network, createdAt, lastUsedAt }) => (
            <li key={hash}>
              <div>
                <strong>{browser ?? 'Unknown browser'}</strong>
                {hash === current.hash && ' (this one)'}
                <p class="hint">
                  {network ?? 'unknown network'} · since {createdAt.toISOString().slice(0, 10)} · last used{' '}
                  {`${lastUsedAt.toISOString().slice(0, 13).replace('T', ' ')}:00 UTC`}
                </p>
              </div>
              <form method="post" action={youPath('sessions')}>
                <input type="hidden" name="session" value={publicNameOf(hash)} />
                <button class="plain" type="submit">
                  Sign out
                </button>
              </form>
            </li>
          ))}
        </ul>
      </section>
      {sessions.length > 1 && (
        <form method="post" action={youPath('sessions')}>
          <button type="submit">Sign out everywhere else</button>
        </form>
      )}
    </>
  );
}

/** Names a session in a form: the cookie cannot be found from it. */
function publicNameOf(hash: string): string {
  return hash.slice(0, 16);
}

function personOf(request: FastifyRequest): SignedInPerson {
  const signedIn = signedInOf(request);
  if (isOfKey(signedIn)) throw new Error('This route is for people.');
  return signedIn;
}
