import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import packet, { type Answer } from 'dns-packet';

/** The addresses to answer; `silent` never answers; undefined = no such name. */
export type NameAnswer = readonly string[] | 'silent' | undefined;

/** A real DNS server on a free loopback port; `response` decides each answer. */
export async function startNameServer(response: (name: string, type: 'A' | 'AAAA') => NameAnswer) {
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const query = packet.decode(message);
    const question = query.questions?.[0];
    if (question?.type !== 'A' && question?.type !== 'AAAA') return;
    const { name, type } = question;
    const given = response(name.toLowerCase(), type);
    if (given === 'silent') return;
    const answers: Answer[] = (given ?? []).map((data) => ({ type, name, data, ttl: 0 }));
    // RCODE 3 = no such name (RFC 1035 §4.1.1)
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | (given === undefined ? 3 : 0);
    socket.send(
      packet.encode({ type: 'response', id: query.id, flags, questions: [question], answers }),
      peer.port,
      peer.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
