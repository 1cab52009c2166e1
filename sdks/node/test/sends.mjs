// Sends messages by the SDK as services/all-in-one/test/sdks.spec.ts asks: node sends.mjs <count> <workers> <tag>
// Prints what the API answered: `{"ids": ["<…>"], "seconds": 1.5}`.
import { Postmesh } from '../src/index.ts';

const [count, workers, tag] = process.argv.slice(2);
const postmesh = new Postmesh({ retries: { maxTries: 15, maxSeconds: 240 } });
const first_attempt = new Date(Date.now() + 5 * 86_400_000).toISOString();
const ids = [];
let next = 0;

async function work() {
  while (next < Number(count)) {
    const number = next++;
    const { data } = await postmesh.messages.send({
      body: {
        from: { email: 'news@shop.example.com' },
        recipients: [{ email: `reader-${number}@example.net` }],
        subject: `${tag} ${number}`,
        text_content: 'Hello.',
        tags: [tag],
        schedule: { first_attempt },
      },
    });
    ids.push(data[0].id);
  }
}

const began = performance.now();
await Promise.all(Array.from({ length: Number(workers) }, work));
console.log(JSON.stringify({ ids, seconds: (performance.now() - began) / 1000 }));
