// Loaded into the program by --import, so it is no TypeScript: records its connections, except Unix sockets, which stay on the
// machine.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isIP, Socket } from 'node:net';

const file = process.env.FAULTS_CONNECTIONS_FILE ?? '';
const note = (text) => appendFileSync(file, `${text}\n`);

// All connections go through here; Node's own channel reports only sockets of net.connect.
Socket.prototype.connect = new Proxy(Socket.prototype.connect, {
  apply(connect, socket, args) {
    socket.on('connectionAttempt', (address, port) => {
      if (isIP(address) !== 0) note(`${address} ${port}`);
    });
    return Reflect.apply(connect, socket, args);
  },
});
subscribe('udp.socket', () => note('udp 0'));
