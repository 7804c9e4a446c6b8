import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';

// Loaded into the program by --import: writes down where it connects to. Unix sockets stay on the machine and are left out.
const file = process.env.FAULTS_CONNECTIONS_FILE ?? '';
const note = (text: string) => appendFileSync(file, `${text}\n`);

subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket };
  socket.on('connectionAttempt', (address, port) => {
    if (isIP(address) !== 0) note(`${address} ${port}`);
  });
});
subscribe('udp.socket', () => note('udp 0'));
