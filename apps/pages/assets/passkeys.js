// Lets the browser make a passkey, or sign with one, before a form is sent that needs it.
const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const toText = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '');
const named = (ids) => ids.map((id) => ({ type: 'public-key', id: toBytes(id) }));

function optionsOf({ challenge, user, allowed, excluded, ...rest }) {
  return {
    ...rest,
    challenge: toBytes(challenge),
    ...(user && { user: { ...user, id: toBytes(user.id) } }),
    ...(allowed && { allowCredentials: named(allowed) }),
    ...(excluded && { excludeCredentials: named(excluded) }),
  };
}

function saidBy({ id, rawId, type, response }) {
  const said = {};
  for (const part of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature']) {
    if (response[part]) said[part] = toText(response[part]);
  }
  return { id, rawId: toText(rawId), type, response: said, clientExtensionResults: {} };
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { user, ...options } = JSON.parse(form.dataset.passkey);
    const status = form.querySelector('[data-status]');
    try {
      const publicKey = optionsOf({ user, ...options });
      const made = user
        ? await navigator.credentials.create({ publicKey })
        : await navigator.credentials.get({ publicKey });
      form.elements.passkey.value = JSON.stringify(saidBy(made));
      form.submit();
    } catch {
      status.textContent = navigator.credentials
        ? 'The browser could not do this. Try again.'
        : 'Passkeys need https, and a browser that knows them.';
    }
  });
}
