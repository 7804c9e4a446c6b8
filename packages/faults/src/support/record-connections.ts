import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isIP, Socket } from 'node:net';

// Loaded into the program by --import: writes down where it connects to. Unix sockets stay on the machine and are left out.
const file = process.env.FAULTS_CONNECTIONS_FILE ?? '';
const note = (text: string) => appendFileSync(file, `${text}\n`);

// Every way to a connection ends here; Node's own channel tells only of the sockets that net.connect makes.
Socket.prototype.connect = new Proxy(Socket.prototype.connect, {
  apply(connect, socket: Socket, args) {
    socket.on('connectionAttempt', (address, port) => {
      if (isIP(address) !== 0) note(`${address} ${port}`);
    });
    return Reflect.apply(connect, socket, args);
  },
});
subscribe('udp.socket', () => note('udp 0'));
