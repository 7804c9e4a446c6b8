import { type Fault, InvalidFields } from '@hitherto/domain/base';
import {
  isTotpSecret,
  type JoinDependencies,
  type Person,
  RECOVERY_CODES,
  renewRecoveryCodes,
  type SecondFactorDependencies,
  turnOffSecondFactor,
  turnOnSecondFactor,
} from '@hitherto/domain/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { encode } from 'uqr';
import { TextField } from '../../owner/field.tsx';
import { OwnerFrame } from '../../owner/owner-frame.tsx';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import { type Body, valueIn } from '../../shared/form.ts';
import { headerOf } from '../../shared/header.ts';
import { localeFor, useLocale } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { secondFactorPath, YOU, youPath } from '../../shared/paths.ts';
import { PresentPassword, requirePassword } from './present-password.tsx';
import { personOf, type YouSection } from './section.ts';

export type SecondFactorSectionDependencies = SecondFactorDependencies & Pick<JoinDependencies, 'passwords'>;

/** The person's second factor: an app that makes codes, and recovery codes. */
export function secondFactorSection(deps: SecondFactorSectionDependencies, limits: SignInLimits): YouSection {
  const sendAppPage = (request: FastifyRequest, reply: FastifyReply, secret: string, faults: readonly Fault[]) => {
    const { person } = personOf(request);
    const uri = deps.totp.uriOf(secret, person.email);
    return sendPage(
      reply,
      <OwnerFrame header={headerOf(request)} title={localeFor(request).words.people.turnOnTitle}>
        <AppPage person={person} secret={secret} uri={uri} faults={faults} />
      </OwnerFrame>,
    );
  };
  const sendCodes = (request: FastifyRequest, reply: FastifyReply, codes: readonly string[]) =>
    sendPage(
      reply.code(201),
      <OwnerFrame header={headerOf(request)} title={localeFor(request).words.people.recoveryCodes}>
        <CodesPage codes={codes} />
      </OwnerFrame>,
    );

  return {
    path: youPath('second-factor'),
    async show(request, { faults }) {
      const { person } = personOf(request);
      const factor = await deps.secondFactors.find(person.id);
      const { people, signIn } = localeFor(request).words;
      return (
        <section>
          <h2>{signIn.secondFactor}</h2>
          {factor === undefined ? (
            <p>
              {people.withoutFactor((words) => (
                <a href={secondFactorPath('app')}>{words}</a>
              ))}
            </p>
          ) : (
            <>
              <p>{people.factorSince(factor.since.toISOString().slice(0, 10), factor.codesLeft, RECOVERY_CODES)}</p>
              {factor.secret === null && <p class="notice">{people.factorBroken}</p>}
              <form class="settings" method="post" action={secondFactorPath('codes')}>
                <PresentPassword person={person} id="second-factor-password" faults={faults} />
                <div class="buttons">
                  <button type="submit">{people.newCodes}</button>
                  <button type="submit" formaction={secondFactorPath('off')}>
                    {people.turnOff}
                  </button>
                </div>
              </form>
            </>
          )}
        </section>
      );
    },

    routes(scope) {
      for (const form of ['off', 'codes'] as const) {
        scope.get(secondFactorPath(form), async (_request, reply) => reply.redirect(YOU, 303));
      }
      scope.get(secondFactorPath('app'), async (request, reply) => {
        if (personOf(request).secondFactor.isOn) return reply.redirect(YOU, 303);
        return sendAppPage(request, reply, deps.totp.makeSecret(deps.randomBytes), []);
      });
      scope.post<Body>(secondFactorPath('app'), async (request, reply) => {
        const { person, session } = personOf(request);
        const [secret = '', code = ''] = [valueIn(request.body, 'secret'), valueIn(request.body, 'code')];
        try {
          await requirePassword(deps, limits, request, person);
          const codes = await turnOnSecondFactor(deps, person.id, { secret, code }, session.hash);
          return sendCodes(request, reply, codes);
        } catch (error) {
          if (!(error instanceof InvalidFields)) throw error;
          const again = isTotpSecret(secret) ? secret : deps.totp.makeSecret(deps.randomBytes);
          return sendAppPage(request, reply.code(422), again, error.faults);
        }
      });
      scope.post<Body>(secondFactorPath('codes'), async (request, reply) => {
        const { person } = personOf(request);
        await requirePassword(deps, limits, request, person);
        const codes = await renewRecoveryCodes(deps, person.id);
        return codes === undefined ? reply.redirect(YOU, 303) : sendCodes(request, reply, codes);
      });
      scope.post<Body>(secondFactorPath('off'), async (request, reply) => {
        const { person, session } = personOf(request);
        await requirePassword(deps, limits, request, person);
        await turnOffSecondFactor(deps, person.id, session.hash);
        return reply.redirect(`${YOU}?saved`, 303);
      });
    },
  };
}

interface AppPageProps {
  readonly person: Person;
  readonly secret: string;
  readonly uri: string;
  readonly faults: readonly Fault[];
}

function AppPage({ person, secret, uri, faults }: AppPageProps) {
  const { people, signIn } = useLocale().words;
  return (
    <>
      <p>
        <a href={YOU}>{people.you}</a>
      </p>
      <h1>{people.turnOnTitle}</h1>
      <p>
        {people.scan((words) => (
          <a href={uri}>{words}</a>
        ))}
      </p>
      <QrCode text={uri} />
      <p>{people.typeSecret(<code>{secret.match(/.{1,4}/g)?.join(' ')}</code>)}</p>
      <form class="settings" method="post" action={secondFactorPath('app')}>
        <input type="hidden" name="secret" value={secret} />
        <TextField
          name="code"
          label={signIn.code}
          hint={people.appCodeHint}
          inputMode="numeric"
          autocomplete="one-time-code"
          required
          maxLength={20}
          faults={faults}
        />
        <PresentPassword person={person} id="current_password" faults={faults} />
        <button type="submit">{people.turnOn}</button>
        <p class="hint">{people.othersOut}</p>
      </form>
    </>
  );
}

function CodesPage({ codes }: { readonly codes: readonly string[] }) {
  const { people } = useLocale().words;
  return (
    <>
      <p>
        <a href={YOU}>{people.you}</a>
      </p>
      <h1>{people.recoveryCodes}</h1>
      <section class="card outcome" role="status">
        <p>{people.keepCodes}</p>
        <ul class="codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** Dark on light whatever the colors of the page: not all cameras read the reverse. */
function QrCode({ text }: { readonly text: string }) {
  const { people } = useLocale().words;
  const { size, data } = encode(text, { border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={people.qrCode}>
      <path d={dark.join('')} />
    </svg>
  );
}
