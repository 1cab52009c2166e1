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
 * MJML knows includes, and the libraries around it know how to read files and call servers. None of that is switched
 * on; this makes sure of it: from here on no code of this thread can, whatever a design makes it do. Nothing that a
 * design does to the prototypes of objects stays for the next one.
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
