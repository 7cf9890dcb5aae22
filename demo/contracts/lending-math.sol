// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Numbers with 27 decimals, rounded half up, and interest factors since a time.
library LendingMath {
    uint256 internal constant RAY = 1e27;
    uint256 private constant YEAR = 365 days;

    function rayMul(uint256 a, uint256 b) internal pure returns (uint256) {
        return (a * b + RAY / 2) / RAY;
    }

    function rayDiv(uint256 a, uint256 b) internal pure returns (uint256) {
        return (a * RAY + b / 2) / b;
    }

    /// The interest factor of supplies.
    function linear(uint256 rate, uint256 since) internal view returns (uint256) {
        return RAY + (rate * (block.timestamp - since)) / YEAR;
    }

    /// The interest factor of debts: the first terms of the binomial series of (1 + rate / YEAR) ^ seconds.
    function compounded(uint256 rate, uint256 since, bool isV2) internal view returns (uint256) {
        uint256 time = block.timestamp - since;
        if (time == 0) return RAY;
        (uint256 first, uint256 squared, uint256 cubed) = isV2 ? termsV2(rate, time) : terms(rate, time);
        uint256 pairs = time * (time - 1);
        return RAY + first + (pairs * squared) / 2 + (pairs * (time > 2 ? time - 2 : 0) * cubed) / 6;
    }

    function terms(uint256 rate, uint256 time) private pure returns (uint256 first, uint256 squared, uint256 cubed) {
        squared = rayMul(rate, rate) / (YEAR * YEAR);
        cubed = rayMul(squared, rate) / YEAR;
        first = (rate * time) / YEAR;
    }

    /// Version 2 first truncates the rate per second.
    function termsV2(uint256 rate, uint256 time) private pure returns (uint256 first, uint256 squared, uint256 cubed) {
        uint256 perSecond = rate / YEAR;
        squared = rayMul(perSecond, perSecond);
        cubed = rayMul(squared, perSecond);
        first = perSecond * time;
    }
}
