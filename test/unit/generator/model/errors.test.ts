import { describe, expect, it } from "vitest";
import { errorsOf } from "../../../../generator/model/errors.ts";
import type { Operation } from "../../../../generator/model/model.ts";

const errors = {
  "404": { title: "Not found", description: "Nothing is there.", example: "Nothing." },
  "501": { title: "Not implemented", description: "Not yet.", example: "The endpoint {plannedPath} is planned." },
};
const operation = (status: Operation["status"], path: string) => ({ status, path }) as Operation;

describe("errorsOf", () => {
  it("names a planned endpoint in the 501 example", () => {
    const operations = [operation("live", "/v1/live/"), operation("planned", "/v1/first/"), operation("planned", "/v1/second/")];
    expect(errorsOf(errors, operations)).toEqual({
      ...errors,
      "501": { ...errors["501"], example: "The endpoint /v1/first/ is planned." },
    });
  });

  it("omits the error 501 if all endpoints are live", () => {
    expect(errorsOf(errors, [operation("live", "/v1/live/")])).toEqual({ "404": errors["404"] });
  });
});
