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
import { headerOf } from '../../owner/header.ts';
import { OwnerFrame } from '../../owner/owner-frame.tsx';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import { type Body, valueIn } from '../../shared/form.ts';
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
      <OwnerFrame header={headerOf(request)} title="Turn the second factor on">
        <AppPage person={person} secret={secret} uri={uri} faults={faults} />
      </OwnerFrame>,
    );
  };
  const sendCodes = (request: FastifyRequest, reply: FastifyReply, codes: readonly string[]) =>
    sendPage(
      reply.code(201),
      <OwnerFrame header={headerOf(request)} title="Recovery codes">
        <CodesPage codes={codes} />
      </OwnerFrame>,
    );

  return {
    path: youPath('second-factor'),
    async show(request, { faults }) {
      const { person } = personOf(request);
      const factor = await deps.secondFactors.find(person.id);
      return (
        <section>
          <h2>Second factor</h2>
          {factor === undefined ? (
            <p>
              With a second factor, a password alone signs nobody in as you.{' '}
              <a href={secondFactorPath('app')}>Turn it on</a>
            </p>
          ) : (
            <>
              <p>
                On since {factor.since.toISOString().slice(0, 10)}; {factor.codesLeft} of {RECOVERY_CODES} recovery
                codes are left.
              </p>
              {factor.secret === null && (
                <p class="notice">
                  The codes of your app do not work, because the SECRET_KEY of this installation has changed. Turn the
                  second factor off and on again.
                </p>
              )}
              <form class="settings" method="post" action={secondFactorPath('codes')}>
                <PresentPassword person={person} id="second-factor-password" faults={faults} />
                <div class="buttons">
                  <button type="submit">Make new recovery codes</button>
                  <button type="submit" formaction={secondFactorPath('off')}>
                    Turn it off
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
  return (
    <>
      <p>
        <a href={YOU}>You</a>
      </p>
      <h1>Turn the second factor on</h1>
      <p>
        Scan this with an app that makes codes, such as the password manager of your phone, or <a href={uri}>open it</a>{' '}
        where the app is on this device.
      </p>
      <QrCode text={uri} />
      <p>
        Or type this secret into the app: <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <form class="settings" method="post" action={secondFactorPath('app')}>
        <input type="hidden" name="secret" value={secret} />
        <TextField
          name="code"
          label="Code"
          hint="The 6 digits that the app shows now."
          inputMode="numeric"
          autocomplete="one-time-code"
          required
          maxLength={20}
          faults={faults}
        />
        <PresentPassword person={person} id="current_password" faults={faults} />
        <button type="submit">Turn it on</button>
        <p class="hint">All other browsers are signed out.</p>
      </form>
    </>
  );
}

function CodesPage({ codes }: { readonly codes: readonly string[] }) {
  return (
    <>
      <p>
        <a href={YOU}>You</a>
      </p>
      <h1>Recovery codes</h1>
      <section class="card outcome" role="status">
        <p>
          Keep these codes where you keep passwords. Each signs you in once where the app is lost. They are not shown
          again, and earlier ones no longer work.
        </p>
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
  const { size, data } = encode(text, { border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the secret">
      <path d={dark.join('')} />
    </svg>
  );
}
