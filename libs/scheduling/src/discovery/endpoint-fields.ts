import { isIP } from 'node:net';
import { z } from 'zod';

/** A DNS name, without the dot at its end. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;
/** What is made of digits and dots only is meant for an IPv4 address. */
const NUMERIC = /^[\d.]+$/;

/** An IPv4 or IPv6 address, or a host name. */
export const addressField = z
  .string()
  .refine((text) => isIP(text) !== 0 || (HOST_NAME.test(text) && !NUMERIC.test(text)), 'not an address or a host name');

/** A port, as a number or as text; 1 to 65535. */
export const portField = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number),
    ],
    'not a port from 1 to 65535',
  )
  .refine((port) => port >= 1 && port <= 65_535, 'not a port from 1 to 65535');
