import { describe, expect, it } from "vitest";
import { nonPublicRangeOf } from "../../../runtime/web/non-public-range.ts";

/** Addresses from IANA's special-purpose registries, cloud providers' metadata addresses, and text that is not an address. */
const nonPublicAddresses = {
  "this network": ["0.0.0.0", "0.1.2.3"],
  "private use": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.254", "100.100.100.200"],
  loopback: ["127.0.0.1", "127.255.255.254", "::1"],
  "link-local and metadata": [
    "169.254.169.254",
    "169.254.170.2",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "168.63.129.16",
    "192.0.0.192",
  ],
  "protocols and documentation": ["192.0.0.8", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  benchmarking: ["198.18.0.1", "198.19.255.255", "2001:2::1"],
  "relays and anycast": ["192.88.99.1", "192.31.196.1", "192.175.48.1", "192.52.193.1"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  "reserved and broadcast": ["240.0.0.1", "255.255.255.255"],
  "unique local": ["fc00::1", "fdff::1"],
  "deprecated site-local": ["fec0::1"],
  unspecified: ["::"],
  "IPv4 in IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::7f00:1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
  ],
  "unallocated or special": ["4000::1", "100::1", "5f00::1", "2001:10::1", "2001:20::1"],
  "not addresses": ["", "localhost", "127.0.0.1.example", "1.2.3.4.5", "::g"],
};

describe("addresses that are not public", () => {
  it.each(Object.entries(nonPublicAddresses))("are in a non-public range (%s)", (_, addresses) => {
    expect(addresses.filter((address) => nonPublicRangeOf(address) === null)).toEqual([]);
  });
});

describe("public addresses", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.167.0.1",
    "169.253.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::1",
  ])("are not in a non-public range (%s)", (address) => {
    expect(nonPublicRangeOf(address)).toBeNull();
  });
});
