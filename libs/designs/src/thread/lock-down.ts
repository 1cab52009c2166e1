import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';

const refuse = (): never => {
  throw new Error('a design has no access to files and to the network');
};

/**
 * MJML supports includes, and its libraries can read files and call servers. None of that is enabled; as a second
 * protection no code of this thread can do it after this call, whatever a design contains. Prototypes
 * accept no new properties, so that a design leaves none for the next one.
 */
export function lockDown(): void {
  for (const module of [fs, fs.promises, childProcess, dns, dns.promises]) replaceFunctions(module);
  for (const prototype of [net.Socket.prototype, net.Server.prototype, dgram.Socket.prototype]) {
    Object.assign(prototype, { connect: refuse, listen: refuse, bind: refuse, send: refuse });
  }
  syncBuiltinESMExports();
  for (const { prototype } of [Object, Array, Function, String, Number, Boolean, RegExp, Map, Set, Promise]) {
    Object.preventExtensions(prototype);
  }
}

function replaceFunctions(module: object): void {
  for (const [name, value] of Object.entries(module)) {
    if (typeof value === 'function') Reflect.set(module, name, refuse);
  }
}
