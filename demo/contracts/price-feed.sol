// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// A price reported by one account, with the events and view functions of Chainlink's aggregators.
contract PriceFeed {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint8 public constant decimals = 8;
    string public description;
    address public immutable reporter;
    uint256 public latestRound;
    mapping(uint256 => Round) private rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error OnlyReporter();

    constructor(string memory description_, address reporter_) {
        description = description_;
        reporter = reporter_;
    }

    function report(int256 answer) external {
        if (msg.sender != reporter) revert OnlyReporter();
        latestRound += 1;
        rounds[latestRound] = Round(answer, block.timestamp);
        emit AnswerUpdated(answer, latestRound, block.timestamp);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        Round memory last = rounds[latestRound];
        return (uint80(latestRound), last.answer, last.updatedAt, last.updatedAt, uint80(latestRound));
    }
}
