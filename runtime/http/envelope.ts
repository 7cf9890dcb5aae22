import type { ServerResponse } from "node:http";

/** The body of a successful response. */
export const successEnvelope = (data: unknown): object => ({ data, error: false, error_message: null, error_code: null });

/** The serialized body of a successful response. */
export const successBody = (data: unknown): string =>
  `{"data":${JSON.stringify(data)},"error":false,"error_message":null,"error_code":null}`;

/** The body of a failed response. */
export const failureEnvelope = (status: number, message: string): object => ({
  data: null,
  error: true,
  error_message: message,
  error_code: status,
});

/** The serialized body of a failed response. */
export const failureBody = (status: number, message: string): string => JSON.stringify(failureEnvelope(status, message));

/** Sends a whole body with its length; node:http omits the body for HEAD. */
export function sendBody(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

/** The media type of JSON. */
export const jsonType = "application/json; charset=utf-8";

/** Sends JSON text. */
export const sendJson = (response: ServerResponse, status: number, body: string | Buffer): void =>
  sendBody(response, status, jsonType, body);
