import { InvalidFields } from '@hitherto/domain/base';
import {
  addPasskey,
  challengeOf,
  type JoinDependencies,
  type PasskeyDependencies,
  removePasskey,
} from '@hitherto/domain/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Faults, TextField } from '../../owner/field.tsx';
import { OwnerFrame } from '../../owner/owner-frame.tsx';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import { readCookie, SESSION_COOKIE } from '../../shared/cookies.ts';
import { type Body, valueIn } from '../../shared/form.ts';
import { headerOf } from '../../shared/header.ts';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { passkeysPath, YOU, youPath } from '../../shared/paths.ts';
import { creationOf, PasskeyForm, saidIn, siteOf } from '../passkey-form.tsx';
import { PresentPassword, requirePassword } from './present-password.tsx';
import { personOf, type Said, type YouSection } from './section.ts';

export type PasskeysDependencies = PasskeyDependencies & Pick<JoinDependencies, 'passwords'>;

/** The person's passkeys, once the second factor is on. */
export function passkeysSection(deps: PasskeysDependencies, limits: SignInLimits): YouSection {
  const challengeIn = (request: FastifyRequest) => challengeOf(readCookie(request, SESSION_COOKIE) ?? '', 'make');
  const sendNew = async (request: FastifyRequest, reply: FastifyReply, { values, faults }: Said) => {
    const { person } = personOf(request);
    const { people, signIn } = localeFor(request).words;
    const options = creationOf(request, person, challengeIn(request), await deps.passkeys.list(person.id));
    return sendPage(
      reply,
      <OwnerFrame header={headerOf(request)} title={people.addPasskey} hasPasskeys>
        <p>
          <a href={YOU}>{people.you}</a>
        </p>
        <h1>{people.addPasskey}</h1>
        <PasskeyForm action={passkeysPath('new')} options={options} submit={people.addPasskey}>
          <TextField
            name="name"
            label={signIn.name}
            hint={people.passkeyNameHint}
            value={values.name}
            required
            maxLength={50}
            faults={faults}
          />
          <PresentPassword person={person} id="current_password" faults={faults} />
          <Faults name="passkey" faults={faults} />
        </PasskeyForm>
      </OwnerFrame>,
    );
  };

  return {
    path: youPath('passkeys'),
    async show(request, { faults }) {
      const { person, secondFactor } = personOf(request);
      if (!secondFactor.isOn) return null;
      const passkeys = await deps.passkeys.list(person.id);
      const { people } = localeFor(request).words;
      return (
        <section>
          <h2>{people.passkeys}</h2>
          <p>
            {people.passkeysText((words) => (
              <a href={passkeysPath('new')}>{words}</a>
            ))}
          </p>
          {passkeys.length > 0 && (
            <form class="settings" method="post" action={passkeysPath('remove')}>
              <ul class="card definitions">
                {passkeys.map(({ id, name, createdAt }, index) => (
                  <li key={id}>
                    <label class="check">
                      <input type="radio" name="id" value={id} checked={index === 0} />
                      <span>{people.passkeySince(<bdi>{name}</bdi>, createdAt.toISOString().slice(0, 10))}</span>
                    </label>
                  </li>
                ))}
              </ul>
              <PresentPassword person={person} id="passkeys-password" faults={faults} />
              <button type="submit">{people.removePasskey}</button>
            </form>
          )}
        </section>
      );
    },

    routes(scope) {
      scope.get(passkeysPath('remove'), async (_request, reply) => reply.redirect(YOU, 303));
      scope.get(passkeysPath('new'), async (request, reply) => {
        if (!personOf(request).secondFactor.isOn) return reply.redirect(YOU, 303);
        return sendNew(request, reply, { values: {}, faults: [] });
      });
      scope.post<Body>(passkeysPath('new'), async (request, reply) => {
        const { person } = personOf(request);
        const name = valueIn(request.body, 'name') ?? '';
        try {
          await requirePassword(deps, limits, request, person);
          const made = { site: siteOf(request), challenge: challengeIn(request), said: saidIn(request.body) };
          await addPasskey(deps, person.id, name, made);
          return reply.redirect(`${YOU}?saved`, 303);
        } catch (error) {
          if (!(error instanceof InvalidFields)) throw error;
          return sendNew(request, reply.code(422), { values: { name }, faults: error.faults });
        }
      });
      scope.post<Body>(passkeysPath('remove'), async (request, reply) => {
        const { person } = personOf(request);
        await requirePassword(deps, limits, request, person);
        await removePasskey(deps, person.id, valueIn(request.body, 'id') ?? '');
        return reply.redirect(`${YOU}?saved`, 303);
      });
    },
  };
}
